"""The whole match: the chance to win it from every state, between bounds that are proved."""
