/** Asks for the address to which a link is sent. */
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, type SubmitEvent } from 'react'
import { messageOf } from '../api/client'
import { Button } from '../ui/button'
import { FormError, TextField, textOf } from '../ui/field'

interface Props {
  send: (email: string) => Promise<unknown>
  autoComplete: 'email' | 'username'
  hint: string
  /** The text that replaces the form once the link was requested. */
  sent: string
  /** Shown below the form. */
  children?: ReactNode
}

export function MailLinkForm({ send, autoComplete, hint, sent, children }: Props) {
  const request = useMutation({ mutationFn: send })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    request.mutate(textOf(event.currentTarget, 'email'))
  }
  if (request.isSuccess) return <p role="status">{sent}</p>
  return (
    <>
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="E-mail address"
          name="email"
          type="email"
          autoComplete={autoComplete}
          required
          autoFocus
          hint={hint}
        />
        <FormError>{request.error && messageOf(request.error)}</FormError>
        <Button type="submit" look="primary" isBusy={request.isPending}>
          Send link
        </Button>
      </form>
      {children}
    </>
  )
}

export const BackToSignIn = () => (
  <Link to="/sign-in" className="text-[13px] text-muted underline underline-offset-2">
    Back to the sign-in
  </Link>
)
