"""The desk: pages on which a person sees, corrects and takes back what was learned."""
