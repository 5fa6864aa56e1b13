/** Asks for the password or passkey again, for requests that need a recent sign-in. */
import { useQueryClient } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { useEffect, useRef, useState, type SubmitEvent } from 'react'
import { messageOf, setHooks } from '../api/client'
import { PasskeyDeclined, signInWithPasskey } from '../api/passkeys'
import { sessionQuery, signIn, useCanUsePasskeys, useSession } from '../api/session'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { FormError, TextField, textOf } from '../ui/field'
import { ProviderButtons } from './provider-buttons'

export function ConfirmIdentity() {
  const { user } = useSession()
  const hasPasskeys = useCanUsePasskeys()
  const queries = useQueryClient()
  /** Requests that wait for the confirmation. Several can wait at the same time. */
  const waiting = useRef<((isConfirmed: boolean) => void)[]>([])
  const [isOpen, setIsOpen] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)

  useEffect(() => {
    setHooks({
      confirmIdentity: () =>
        new Promise((resolve) => {
          waiting.current.push(resolve)
          setError(null)
          setIsOpen(true)
        }),
    })
  }, [])

  const close = (isConfirmed: boolean): void => {
    setIsOpen(false)
    for (const answer of waiting.current.splice(0)) answer(isConfirmed)
  }
  const confirm = async (how: () => Promise<unknown>): Promise<void> => {
    setIsBusy(true)
    setError(null)
    try {
      await how()
      await queries.refetchQueries(sessionQuery)
      close(true)
    } catch (failure) {
      if (!(failure instanceof PasskeyDeclined)) setError(messageOf(failure))
    } finally {
      setIsBusy(false)
    }
  }
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const password = textOf(event.currentTarget, 'password')
    void confirm(() => signIn(user?.email ?? '', password))
  }

  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) close(false)
      }}
      title="Confirm that it is you"
      description="This change needs a recent sign-in."
    >
      <form className="grid gap-4" onSubmit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={user?.email ?? ''} readOnly />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <FormError>{error}</FormError>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Confirm
        </Button>
        {hasPasskeys && (
          <Button onClick={() => void confirm(signInWithPasskey)} disabled={isBusy}>
            <Fingerprint aria-hidden /> Use a passkey
          </Button>
        )}
        <ProviderButtons next={window.location.pathname.slice('/console'.length) || '/'} />
      </form>
    </Dialog>
  )
}
