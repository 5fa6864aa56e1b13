/** Returns the link with which a person approves a terminal, as an operator gets the link. */
import { type Plane } from './world.js'

/** @throws Error for an unknown code or project */
export async function linkFor(
  plane: Plane,
  userCode: string,
  project: string,
): Promise<{ url: string; ticket: string }> {
  const answer = await plane.operator.inject({
    method: 'POST',
    url: '/operator/v1/setups/approve',
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    payload: { user_code: userCode, project },
  })
  if (answer.statusCode !== 201) throw new Error(`approve: ${answer.statusCode} ${answer.body}`)
  const { url } = answer.json<{ url: string }>()
  return { url, ticket: new URL(url).searchParams.get('ticket') ?? '' }
}
