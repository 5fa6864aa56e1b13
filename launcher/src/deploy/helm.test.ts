// deploy/helm: the parts of the chart that can be checked without helm. `./scripts/check-helm` renders it.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

const root = path.resolve(import.meta.dirname, '../../..')
const chart = path.join(root, 'deploy/helm/phonerack')
const text = (file: string) => readFileSync(path.join(chart, file), 'utf8')
const templates = readdirSync(path.join(chart, 'templates'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => text(`templates/${name}`))

it('has the version of the packages', () => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(path.join(root, 'control-plane/package.json'), 'utf8')))
  const about = z.object({ version: z.string(), appVersion: z.string() }).parse(parse(text('Chart.yaml')))
  expect(about).toMatchObject({ version, appVersion: version })
  const images = z.object({ image: z.string() })
  const values = z.object({ controlPlane: images, agents: images }).parse(parse(text('values.yaml')))
  for (const { image } of Object.values(values)) expect(image).toMatch(new RegExp(`:${version}$`))
})

it('sets only variables that the programs have', () => {
  const documented = ['docs/settings.md', 'docs/operations.md', 'deploy/etc/control-plane.env']
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('')
  const names = templates.flatMap((template) => [
    ...template.matchAll(/name: ((?:PHONERACK|NATS|S3|DATABASE)_[A-Z0-9_]+)/g),
  ])
  expect(names.length).toBeGreaterThan(20)
  for (const [, name = ''] of names) expect(documented).toMatch(new RegExp(`\\b${name}\\b`))
})

it('gives every container the limits of its rights', () => {
  for (const template of templates) {
    const count = (pattern: RegExp) => [...template.matchAll(pattern)].length
    expect(count(/phonerack\.podSecurity/g)).toBe(count(/^ +containers:/gm))
    expect(count(/^ +image: /gm)).toBe(count(/^ +containers:/gm))
    expect(count(/^ +securityContext:/gm)).toBe(2 * count(/^ +containers:/gm))
  }
  const helpers = text('templates/_helpers.tpl')
  for (const line of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'capabilities: { drop: [ALL] }'])
    expect(helpers).toContain(line)
})

it('takes each secret setting of the control plane from a Secret, as a file', () => {
  const source = readFileSync(path.join(root, 'control-plane/src/base/config/secret-files.ts'), 'utf8')
  const names = [...source.matchAll(/^ {2}'([A-Z0-9_]+)',$/gm)].map(([, name = '']) => name)
  expect(names).toContain('PHONERACK_STRIPE_SECRET_KEY')
  const schema = z
    .object({
      properties: z.object({
        controlPlane: z.object({
          properties: z.object({
            secrets: z.object({ patternProperties: z.record(z.string(), z.unknown()) }),
          }),
        }),
      }),
    })
    .parse(JSON.parse(text('values.schema.json')))
  const [pattern = ''] = Object.keys(schema.properties.controlPlane.properties.secrets.patternProperties)
  const helpers = text('templates/_helpers.tpl')
  for (const name of names)
    expect(new RegExp(pattern).test(name) || helpers.includes(`{ name: ${name}, secret:`), name).toBe(true)
  for (const template of templates) expect(template).not.toContain('secretKeyRef')
})

it('has only secrets by reference', () => {
  for (const template of templates) expect(template).not.toMatch(/kind: Secret\b/)
  const { properties } = z
    .object({ properties: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(text('values.schema.json')))
  expect(
    Object.keys(properties)
      .filter((name) => name !== 'global')
      .toSorted(),
  ).toEqual(Object.keys(z.record(z.string(), z.unknown()).parse(parse(text('values.yaml')))).toSorted())
})

it('trusts no proxy by default, and accepts only addresses and networks', () => {
  const proxies = z.object({ controlPlane: z.object({ trustedProxies: z.string() }) })
  expect(proxies.parse(parse(text('values.yaml'))).controlPlane.trustedProxies).toBe('')
  const { pattern } = z
    .object({
      properties: z.object({
        controlPlane: z.object({
          properties: z.object({ trustedProxies: z.object({ pattern: z.string() }) }),
        }),
      }),
    })
    .parse(JSON.parse(text('values.schema.json'))).properties.controlPlane.properties.trustedProxies
  // Helm's patterns have no lookahead.
  expect(pattern).not.toContain('(?')
  for (const value of ['', '192.0.2.10', '192.0.2.10, 2001:db8::/64', '10.1.0.0/16,10.2.0.0/16'])
    expect(value).toMatch(new RegExp(pattern))
  for (const value of ['ingress.example', '192.0.2.10,', '192.0.2.10 192.0.2.11', 'true'])
    expect(value).not.toMatch(new RegExp(pattern))
})
