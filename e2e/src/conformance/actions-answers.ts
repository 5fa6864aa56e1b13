/** A batch's answer on any phone: its entries, its failure and its screen. `actions-both-ways.ts` runs it. */
import { actionBatchResultSchema } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { act, tap, type Rented } from './rented.js'

const dialogs = 'com.phonerack.dialogs'

/** @param rented returns the phone once it is rented */
export const answersOn = (rented: () => Rented): void => {
  const post = (body: object) => rented().api.post(`${rented().path}/actions`, body)

  it('end with the first failure, whose error has its five fields, before the screen as it is then [30.3, 30.17, 30.18, 30.22, 30.23, 30.26]', async () => {
    const before = await act(rented(), { type: 'home' })
    const answer = await post({
      actions: [
        { type: 'open_app', package: dialogs },
        { type: 'close_app', package: 'org.example.none' },
        { type: 'home' },
      ],
      observe: 'none',
    })
    expect(answer.status).toBe(200)
    const ms = expect.any(Number) as number
    const text = expect.any(String) as string
    const details = { package: 'org.example.none' }
    expect(answer.body).toEqual({
      results: [
        {
          index: 0,
          type: 'open_app',
          ok: true,
          ms,
          activity: text,
          app: { package: dialogs, activity: text },
          changed: expect.toBeOneOf([true, false, null]) as unknown,
        },
        {
          index: 1,
          type: 'close_app',
          ok: false,
          ms,
          error: { code: 'app_not_found', message: text, retryable: false, next: text, details },
        },
      ],
      completed: 1,
      observation: expect.objectContaining({ app: { package: dialogs, activity: text } }) as object,
    })
    const { snapshot_id: snapshot } = await act(rented(), { type: 'home' })
    expect(snapshot).toMatch(/^snp_/)
    expect(snapshot).not.toBe(before.snapshot_id)
  })

  it.each(['none', 'ui', 'screenshot', 'both', 'text'])(
    'return the screen that observe %s requests [30.24, 30.25, 32.15]',
    async (observe) => {
      const [elements, picture] = [['elements', 'snapshot_id', 'text'], ['screenshot']]
      const done = {
        none: undefined,
        ui: elements,
        screenshot: picture,
        both: [...elements, ...picture],
        text: ['snapshot_id', 'text'],
      }[observe]
      const cut = {
        none: elements,
        ui: elements,
        screenshot: [...elements, ...picture],
        both: [...elements, ...picture],
        text: ['snapshot_id', 'text'],
      }[observe]
      const keys = async (...actions: object[]) => {
        const { observation } = actionBatchResultSchema.parse((await post({ actions, observe })).body)
        if (observation && 'screenshot' in observation)
          expect(observation.screenshot).toMatchObject({
            format: 'jpeg',
            width: 720,
            height: 1600,
            scale: 720 / 1080,
          })
        const known = [...elements, ...picture]
        return (
          observation &&
          Object.keys(observation)
            .filter((name) => known.includes(name))
            .toSorted()
        )
      }
      expect(await keys({ type: 'home' })).toEqual(done?.toSorted())
      expect(await keys(tap({ text: 'Nowhere' }))).toEqual(cut?.toSorted())
      if (observe === 'screenshot')
        expect(
          Object.keys(
            (await post({ actions: [{ type: 'wait', ms: 1 }], observe })).body as object,
          ).toSorted(),
        ).toEqual(['completed', 'observation', 'results'])
    },
  )
}
