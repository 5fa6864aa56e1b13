/**
 * Checks that every `next` of the API can be followed: each request in our sources has a route, and each of
 * its query parameters accepts that value. Read from the sources, so that a new `next` is checked too.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../app/openapi.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

interface Named {
  file: string
  method: string
  path: string
  query: URLSearchParams
}

const sources = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.test\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/[/](?:gen|testing|examples)[/]/.test(file))

/** `GET /v1/phones/${phoneId}?wait=ready` in a source, outside comments. */
function requestsIn(file: string): Named[] {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
  return [...text.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/v1(?:\$\{[^}]*\}|[\w/.?&=%{}-])*)/g)].map(
    ([, method = '', url = '']) => {
      const plain = url.replaceAll(/\$?\{[^}]*\}/g, 'x').replace(/[.]$/, '')
      const [path = '', query = ''] = plain.split('?')
      return { file: file.slice(root.length), method, path, query: new URLSearchParams(query) }
    },
  )
}

interface Operation {
  parameters?: { name: string; in: string; schema?: { enum?: string[] } }[]
}

it('names only requests and parameters that the API has', async () => {
  const document = (await openApiDocument('http://api.test')) as {
    paths: Record<string, Record<string, Operation>>
  }
  const find = ({ method, path }: Named): Operation | undefined => {
    const isMatch = (template: string) =>
      new RegExp(`^${template.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`).test(path)
    // A literal path takes precedence over a path with a parameter, as in the router.
    const fitting = Object.keys(document.paths)
      .filter(isMatch)
      .sort((a, b) => a.split('{').length - b.split('{').length)
    return fitting
      .map((template) => document.paths[template]?.[method.toLowerCase()])
      .find((each) => each !== undefined)
  }
  const named = ['control-plane/src', 'host-agent/src'].flatMap(sources).flatMap(requestsIn)
  expect(named.length).toBeGreaterThan(40)
  for (const request of named) {
    const said = `${request.file}: ${request.method} ${request.path}`
    const operation = find(request)
    expect(operation, said).toBeDefined()
    for (const [name, value] of request.query) {
      const parameter = operation?.parameters?.find((each) => each.in === 'query' && each.name === name)
      expect(parameter, `${said} takes ${name}`).toBeDefined()
      const allowed = parameter?.schema?.enum
      if (allowed && value !== 'x') expect(allowed, `${said}: ${name}`).toContain(value)
    }
  }
})
