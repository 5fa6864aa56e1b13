import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent } from 'react'
import { messageOf } from '../api/client'
import { requestSignUp } from '../api/providers'
import { useSession } from '../api/session'
import { Outside } from '../shell/outside'
import { ProviderButtons } from '../shell/provider-buttons'
import { Button } from '../ui/button'
import { FormError, TextField } from '../ui/field'

/** Sends a link that proves the address of a new account. */
export function SignUp() {
  const { can_sign_up: canSignUp } = useSession()
  const request = useMutation({ mutationFn: requestSignUp })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const email = new FormData(event.currentTarget).get('email')
    request.mutate(typeof email === 'string' ? email : '')
  }
  return (
    <Outside title="Create an account">
      {!canSignUp ? (
        <p>An account of this service needs an invitation. Ask the owner of a project.</p>
      ) : request.isSuccess ? (
        <p role="status">A mail is on its way to this address. Its link works once, for one hour.</p>
      ) : (
        <>
          <form className="grid gap-4" onSubmit={submit}>
            <TextField
              label="E-mail address"
              name="email"
              type="email"
              autoComplete="email"
              required
              autoFocus
              hint="You get a link with which you choose a password or add a passkey."
            />
            <FormError>{request.error && messageOf(request.error)}</FormError>
            <Button type="submit" look="primary" isBusy={request.isPending}>
              Send link
            </Button>
          </form>
          <ProviderButtons />
        </>
      )}
      <Link to="/sign-in" className="text-[13px] text-muted underline underline-offset-2">
        Back to the sign-in
      </Link>
    </Outside>
  )
}
