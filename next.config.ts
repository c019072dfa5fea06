import type { NextConfig } from 'next';
import createNextIntlPlugin from 'next-intl/plugin';
import { requireNode } from './bin/node-version.mjs';

// Whoever starts Next by hand on an old Node gets the same sentence as from `npm start`.
requireNode();

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ['better-sqlite3'],
  // `npm test` checks the types, tests included; a start on a fresh clone must not wait for that.
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: import.meta.dirname },
  allowedDevOrigins: ['127.0.0.1'],
  // Browsers ask for this name whatever the page says; a 404 for it would be the one error in their console.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
  outputFileTracingExcludes: {
    '/*': ['./.data/**', './.git/**', './e2e/**', './bench/**', './test-results/**'],
  },
};

export default createNextIntlPlugin({
  requestConfig: './app/_i18n/request.ts',
  experimental: {
    // Messages are parsed once, by the build, and not by every request.
    messages: { path: './messages', format: 'json', locales: 'infer', precompile: true },
  },
})(config);
