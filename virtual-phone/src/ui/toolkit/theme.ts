/** Colours of the light and the dark theme, by Material 3 roles. */
export interface Theme {
  dark: boolean
  background: string
  surface: string
  field: string
  text: string
  secondary: string
  primary: string
  onPrimary: string
  container: string
  onContainer: string
  outline: string
  error: string
}

export const LIGHT: Theme = {
  dark: false,
  background: '#f3f3fa',
  surface: '#ffffff',
  field: '#e6e7f0',
  text: '#1a1b20',
  secondary: '#5b5e69',
  primary: '#3b5ba9',
  onPrimary: '#ffffff',
  container: '#d9e2ff',
  onContainer: '#001945',
  outline: '#c5c6d0',
  error: '#ba1a1a',
}

export const DARK: Theme = {
  dark: true,
  background: '#111318',
  surface: '#1e2025',
  field: '#2a2c33',
  text: '#e3e2e9',
  secondary: '#a9abb6',
  primary: '#b0c6ff',
  onPrimary: '#0f2f6d',
  container: '#2d4678',
  onContainer: '#d9e2ff',
  outline: '#44464f',
  error: '#ffb4ab',
}
