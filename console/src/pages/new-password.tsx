/** Changes the user's password. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, type SubmitEvent } from 'react'
import { toast } from 'sonner'
import { call, messageOf } from '../api/client'
import { useSession } from '../api/session'
import { Button } from '../ui/button'
import { FormError, TextField, textOf } from '../ui/field'
import { Card } from '../ui/page'

export function NewPassword() {
  const { user } = useSession()
  const queries = useQueryClient()
  const { data } = useQuery({ queryKey: ['accounts'], queryFn: () => call('GET /me/accounts', {}) })
  const form = useRef<HTMLFormElement>(null)
  const change = useMutation({
    mutationFn: (password: string) => call('POST /me/password', {}, { password }),
    async onSuccess() {
      form.current?.reset()
      toast.success('Your password was changed. Your other sign-ins have ended.')
      await queries.invalidateQueries({ queryKey: ['sign-ins'] })
      await queries.invalidateQueries({ queryKey: ['accounts'] })
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    change.mutate(textOf(event.currentTarget, 'password'))
  }
  return (
    <section className="grid gap-3" aria-labelledby="password">
      <h2 id="password" className="font-semibold">
        Password
      </h2>
      <Card className="grid gap-4 p-4 sm:p-5">
        {data && (
          <p className="text-muted">
            {data.has_password ? 'You can sign in with a password.' : 'You have no password.'}
          </p>
        )}
        <form ref={form} className="grid max-w-sm gap-4" onSubmit={submit}>
          <input type="hidden" name="username" autoComplete="username" value={user?.email ?? ''} readOnly />
          <TextField
            label="New password"
            name="password"
            type="password"
            autoComplete="new-password"
            required
            minLength={10}
            maxLength={128}
            hint="At least 10 characters. Your other sign-ins end."
          />
          <FormError>{change.error && messageOf(change.error)}</FormError>
          <div>
            <Button type="submit" isBusy={change.isPending}>
              {data?.has_password === false ? 'Set a password' : 'Change password'}
            </Button>
          </div>
        </form>
      </Card>
    </section>
  )
}
