"""The commands of ``forehead``, a file each; heavy imports live inside them."""
