"""What is kept: the cache, and match tables with what they say of later hands."""
