import { OperatorError } from './operator/client.js'
import { expect, it } from 'vitest'
import { each } from './each.js'

const request = (ref: string): Promise<{ id: string }> =>
  ref === 'bad'
    ? Promise.reject(
        new OperatorError('is free', 400, 'validation_failed', { error: { code: 'validation_failed' } }),
      )
    : Promise.resolve({ id: ref })
const text = ({ id }: { id: string }): string => `did ${id}`

it('answers one object with its result, and throws its refusal', async () => {
  expect(await each(['a'], request, text)).toEqual({ json: { id: 'a' }, text: 'did a' })
  await expect(each(['bad'], request, text)).rejects.toThrow('is free')
})

it('continues after a refusal, and then fails', async () => {
  expect(await each(['a', 'bad', 'b'], request, text)).toEqual({
    json: { data: [{ id: 'a' }, { ref: 'bad', error: { code: 'validation_failed' } }, { id: 'b' }] },
    text: 'did a\nbad: is free (validation_failed)\ndid b\n1 of 3 were refused.',
    hasFailed: true,
  })
  expect(await each(['a', 'b'], request, text)).toMatchObject({ text: 'did a\ndid b', hasFailed: false })
})

it('ends at an error that is not a refusal', async () => {
  const gone = () => Promise.reject(new Error('no response'))
  await expect(each(['a', 'b'], gone, text)).rejects.toThrow('no response')
})
