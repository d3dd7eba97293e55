"""The shapes of answers and bodies: the OpenAPI description is made from them."""
