// Lint rules, and the walls between the parts (docs/architecture.md, rule 1).
import js from '@eslint/js'
import tseslint from 'typescript-eslint'

const ours = (names) =>
  names.map((name) => [`@phonerack/${name}`, `@phonerack/${name}/*`, `**/${name}/src/**`]).flat()
const wall = (files, forbidden) => ({
  files,
  ignores: ['**/*.test.ts', '**/src/testing/**'],
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns: [{ group: ours(forbidden), message: 'See docs/architecture.md, rule 1.' }] },
    ],
  },
})

export default tseslint.config(
  { ignores: ['**/dist/**', '**/src/gen/**', '**/node_modules/**', '**/.turbo/**', '.phonerack/**'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/dot-notation': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        WebAssembly: 'readonly',
        crypto: 'readonly',
      },
    },
  },
  wall(['proto/**'], ['shared', 'control-plane', 'host-agent', 'virtual-phone', 'launcher', 'ctl']),
  wall(['shared/**'], ['proto', 'control-plane', 'host-agent', 'virtual-phone', 'launcher', 'ctl']),
  wall(['control-plane/**'], ['host-agent', 'virtual-phone', 'launcher', 'ctl']),
  wall(['host-agent/**'], ['control-plane', 'virtual-phone', 'launcher', 'ctl']),
  wall(['virtual-phone/**'], ['proto', 'shared', 'control-plane', 'host-agent', 'launcher', 'ctl']),
  wall(['launcher/**'], ['proto', 'control-plane', 'host-agent', 'virtual-phone', 'ctl']),
)
