import { call } from '../api/client'
import { useSession } from '../api/session'
import { BackToSignIn, MailLinkForm } from '../shell/mail-link-form'
import { Outside } from '../shell/outside'
import { ProviderButtons } from '../shell/provider-buttons'

/** Sends a link that proves the address of a new account. */
export function SignUp() {
  const { can_sign_up: canSignUp } = useSession()
  return (
    <Outside title="Create an account">
      {canSignUp ? (
        <MailLinkForm
          send={(email) => call('POST /sign-ups', {}, { email })}
          autoComplete="email"
          hint="You get a link with which you choose a password or add a passkey."
          sent="A mail is on its way to this address. Its link works once, within an hour."
        >
          <ProviderButtons />
        </MailLinkForm>
      ) : (
        <p>You need an invitation to create an account. Ask the owner of a project.</p>
      )}
      <BackToSignIn />
    </Outside>
  )
}
