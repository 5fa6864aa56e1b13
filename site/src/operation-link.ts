/** The place of an operation in the API reference, which is a page of its program with places after `#`. */
export const operationLink = (tag: string, operationId: string): string => `/api#tag/${tag}/${operationId}`
