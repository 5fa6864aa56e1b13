/** The tables of the page of endpoints, from the OpenAPI document. */
import { operationLink } from '../operation-link.js'

export interface ApiDocument {
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation | undefined>>
}
interface Operation {
  operationId: string
  summary: string
  tags: string[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

export function endpointsMarkdown({ tags = [], paths }: ApiDocument): string {
  const all = Object.entries(paths).flatMap(([url, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method]
      return operation ? [{ url, method: method.toUpperCase(), ...operation }] : []
    }),
  )
  return tags
    .map(({ name, description }) => {
      const rows = all
        .filter((each) => each.tags[0] === name)
        .map(
          ({ method, url, summary, operationId }) =>
            `| [\`${method} ${url}\`](${operationLink(name, operationId)}) | ${summary} |`,
        )
      const heading = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
      return [
        `## ${heading}`,
        description ?? '',
        ['| Request | |', '| --- | --- |', ...rows].join('\n'),
      ].join('\n\n')
    })
    .join('\n\n')
}
