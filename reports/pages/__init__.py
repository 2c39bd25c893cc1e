"""Reports: folders with a page, tables, figures and a summary."""
