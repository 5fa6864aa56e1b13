// A module hook: the generator gets this package's TypeScript 5, since TypeScript 7 has no compiler API yet.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const typescript = pathToFileURL(createRequire(import.meta.url).resolve('typescript')).href

export const resolve = (specifier, context, next) =>
  specifier === 'typescript'
    ? { url: typescript, shortCircuit: true, format: 'commonjs' }
    : next(specifier, context)
