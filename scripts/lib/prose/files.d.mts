/** Types of `files.mjs`, for tests in TypeScript. */
export function proseFiles(root: string, from?: string): string[]
