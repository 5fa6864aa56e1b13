import type { RunActionsResponse } from '@phonerack/proto'
import type { ActionResult } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { ScreenXmlError, unreadable } from '../../screen/errors.js'
import { resultJson, sendBatch } from './batch-stream.js'

const failed: ActionResult = {
  index: 0,
  type: 'scroll_to',
  ok: false,
  ms: 1,
  error: { ...unreadable(new ScreenXmlError('no dump')).toPlain(), details: { target: { text: '{id}' } } },
}

it('names the phone in the next step of a failed action', () => {
  const sent: RunActionsResponse[] = []
  sendBatch('ph_aaaaaaaaaaaa', (message) => sent.push(message)).onFinished(failed)
  const streamed = sent[0]?.event?.$case === 'finished' ? sent[0].event.value.resultJson.toString() : ''
  for (const json of [streamed, resultJson('ph_aaaaaaaaaaaa', [failed]).toString()]) {
    expect(json).toContain('GET /v1/phones/ph_aaaaaaaaaaaa/screenshot')
    expect(json).toContain('"text":"{id}"')
  }
})
