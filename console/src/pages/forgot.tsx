import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent } from 'react'
import { messageOf } from '../api/client'
import { requestReset } from '../api/people'
import { Outside } from '../shell/outside'
import { Button } from '../ui/button'
import { FormError, TextField } from '../ui/field'

/** Sends a link for a new password. */
export function Forgot() {
  const request = useMutation({ mutationFn: requestReset })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const email = new FormData(event.currentTarget).get('email')
    request.mutate(typeof email === 'string' ? email : '')
  }
  return (
    <Outside title="New password">
      {request.isSuccess ? (
        <p role="status">
          If there is an account with this address, a link is on its way to it. It works once, for one hour.
        </p>
      ) : (
        <form className="grid gap-4" onSubmit={submit}>
          <TextField
            label="E-mail address"
            name="email"
            type="email"
            autoComplete="username"
            required
            autoFocus
            hint="You get a link with which you choose a new password."
          />
          <FormError>{request.error && messageOf(request.error)}</FormError>
          <Button type="submit" look="primary" isBusy={request.isPending}>
            Send link
          </Button>
        </form>
      )}
      <Link to="/sign-in" className="text-[13px] text-muted underline underline-offset-2">
        Back to the sign-in
      </Link>
    </Outside>
  )
}
