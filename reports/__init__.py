"""Results as text, tables and figures."""
