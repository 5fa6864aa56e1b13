import { type Caller } from '../core/caller.js'

/**
 * Links with which anyone sees and, unless they are view-only, controls a phone in a browser,
 * without a key.
 */
export interface LiveService {
  /**
   * Creates a link to a ready phone. It also ends with the phone's session. Only its token's hash
   * is stored. @param input `expiresIn` in seconds
   */
  createLink(
    caller: Caller,
    phoneId: string,
    input: { expiresIn: number; control: boolean },
  ): Promise<{ url: string; expiresAt: Date }>
}
