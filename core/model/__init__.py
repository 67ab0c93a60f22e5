"""Model: options and priors (`spec`, `prior`, free of JAX) and the log density."""
