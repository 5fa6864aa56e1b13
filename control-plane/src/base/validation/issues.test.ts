/** The cost of a body with thousands of errors, and the issues that reach the client. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { collectSetupBody } from '../../api/routes/setup.js'
import { findIssues } from './issues.js'

const unknownFields = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]))

it('names 50 of 12,000 unknown fields, and ignores the others', () => {
  const looked: string[] = []
  const schema = z.strictObject({ known: z.string().optional() })
  const body = unknownFields(12_000)
  const watched = new Proxy(body, {
    getOwnPropertyDescriptor(target, key) {
      looked.push(String(key))
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
  })
  const { issues } = findIssues(schema, watched)
  expect(issues).toHaveLength(50)
  expect(issues[0]).toMatchObject({ path: ['f0'], message: 'is not a known field', alternatives: ['known'] })
  // Each field is looked up a bounded number of times, for any number of fields.
  expect(looked.length).toBeLessThanOrEqual(3 * 12_000)
  expect(findIssues(collectSetupBody, body).issues).toHaveLength(50)
})

it('limits the issues of a long list and of the forms inside it', () => {
  const form = z.strictObject({ a: z.string(), b: z.string() })
  const other = z.strictObject({ c: z.string() })
  const list = z.strictObject({ list: z.array(z.union([form, other])) })
  const value = { list: Array.from({ length: 5000 }, () => ({ a: 1, b: 2, ...unknownFields(3) })) }
  const { issues } = findIssues(list, value)
  expect(issues).toHaveLength(50)
  expect(new Set(issues.map(({ path }) => path.join('.'))).size).toBe(50)
})

it('limits the alternatives of an issue, and lists each once', () => {
  const schema = z.strictObject({ choice: z.enum(Array.from({ length: 400 }, (_, at) => `c${at}`)) })
  expect(findIssues(schema, { choice: 'x' }).issues[0]?.alternatives).toHaveLength(100)
  const same = z.strictObject({
    text: z
      .string()
      .refine(() => false, 'must be right')
      .refine(() => false, 'must be right'),
  })
  expect(findIssues(same, { text: 'a' }).issues).toHaveLength(1)
})

it('accepts no name of a JavaScript object as a field of the schema', () => {
  const schema = z.strictObject({ metadata: z.record(z.string(), z.string()) })
  for (const name of Object.getOwnPropertyNames(Object.prototype).filter((each) => each !== '__proto__')) {
    const [issue] = findIssues(schema, { metadata: { [name]: [] } }).issues
    expect(issue).toMatchObject({
      path: ['metadata', name],
      message: expect.stringMatching(/^must be /) as string,
    })
    expect(findIssues(schema, { metadata: {}, [name]: 1 }).issues).toHaveLength(1)
  }
})
