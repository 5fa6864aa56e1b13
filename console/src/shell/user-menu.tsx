import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  BookOpen,
  CircleUser,
  LogOut,
  Monitor,
  Moon,
  Server,
  SquareTerminal,
  Sun,
  UserCog,
} from 'lucide-react'
import { toast } from 'sonner'
import { call, messageOf } from '../api/client'
import { sessionQuery, useSession } from '../api/session'
import { Button } from '../ui/button'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu'
import { setTheme, useTheme, type Theme } from './theme'

const themes = [
  { theme: 'light', name: 'Light', icon: Sun },
  { theme: 'dark', name: 'Dark', icon: Moon },
  { theme: 'system', name: 'As the system', icon: Monitor },
] as const satisfies readonly { theme: Theme; name: string; icon: unknown }[]

/** Signs out, then opens the sign-in page. */
export function useSignOut(): () => void {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const leave = async (): Promise<void> => {
    await call('POST /auth/sign-out', {}, {})
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    await queries.refetchQueries(sessionQuery)
    await navigate({ to: '/sign-in' })
  }
  return () => {
    leave().catch((error: unknown) => toast.error(messageOf(error)))
  }
}

export function UserMenu() {
  const { user, base_url: baseUrl, operator_console_url: operatorConsole } = useSession()
  const theme = useTheme()
  const navigate = useNavigate()
  const leave = useSignOut()
  return (
    <Menu
      trigger={
        <Button look="ghost" size="icon" aria-label="Account and theme">
          <CircleUser aria-hidden />
        </Button>
      }
    >
      <MenuLabel>
        <span className="block truncate font-medium text-foreground">{user?.name}</span>
        <span className="block truncate">{user?.email}</span>
      </MenuLabel>
      <MenuItem onSelect={() => void navigate({ to: '/account' })}>
        <UserCog aria-hidden /> Your account
      </MenuItem>
      <MenuItem onSelect={() => void navigate({ to: '/connect' })}>
        <SquareTerminal aria-hidden /> Connect a terminal
      </MenuItem>
      <MenuItem onSelect={() => window.location.assign(`${baseUrl}/docs`)}>
        <BookOpen aria-hidden /> Documentation
      </MenuItem>
      {operatorConsole !== null && (
        <MenuItem onSelect={() => window.location.assign(operatorConsole)}>
          <Server aria-hidden /> Operators’ console
        </MenuItem>
      )}
      <MenuLine />
      <MenuLabel>Theme</MenuLabel>
      {themes.map(({ theme: each, name, icon: Icon }) => (
        <MenuItem key={each} onSelect={() => setTheme(each)}>
          <Icon aria-hidden />
          <span className="flex-1">{name}</span>
          {theme === each && <span className="text-muted">current</span>}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={leave}>
        <LogOut aria-hidden /> Sign out
      </MenuItem>
    </Menu>
  )
}
