"""Help: guides of this version, and the glossary."""
