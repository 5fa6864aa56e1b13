/** The pages of a project, for the sidebar and the palette. */
import { ChartColumn, KeyRound, ScrollText, Smartphone, Users } from 'lucide-react'

export const projectPages = [
  { to: '/projects/$project/phones', name: 'Phones', icon: Smartphone },
  { to: '/projects/$project/keys', name: 'API keys', icon: KeyRound },
  { to: '/projects/$project/activity', name: 'Activity', icon: ScrollText },
  { to: '/projects/$project/usage', name: 'Usage', icon: ChartColumn },
  { to: '/projects/$project/members', name: 'Members', icon: Users },
] as const
