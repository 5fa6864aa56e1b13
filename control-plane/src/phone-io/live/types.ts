import { type Caller } from '../../base/core/caller.js'

/**
 * Links with which anyone sees and, unless they are view-only, controls a phone in a browser,
 * without a key.
 */
export interface LiveService {
  /**
   * Creates a link to a ready phone. The link also ends with the phone's session, and with the key or the
   * user's sign-in that created it. Only the hash of the link's token is stored. @param input `expiresIn` in
   * seconds; `control` omitted: false if the profile of the caller is `guarded`, else true; `userSessionId`:
   * the sign-in of a user of the console, whose oldest links to the phone end
   */
  createLink(
    caller: Caller,
    phoneId: string,
    input: { expiresIn: number; control?: boolean | undefined; userSessionId?: string },
  ): Promise<{ url: string; expiresAt: Date }>
}
