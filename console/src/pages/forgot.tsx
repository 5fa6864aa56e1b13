import { call } from '../api/client'
import { BackToSignIn, MailLinkForm } from '../shell/mail-link-form'
import { Outside } from '../shell/outside'

/** The page that requests a link for a new password. */
export const Forgot = () => (
  <Outside title="New password">
    <MailLinkForm
      send={(email) => call('POST /resets', {}, { email })}
      autoComplete="username"
      hint="You get a link with which you choose a new password."
      sent="If there is an account with this address, a link is on its way to it. It works once, within an hour."
    />
    <BackToSignIn />
  </Outside>
)
