/** Next calls this once when a server starts, whichever way it was started; never during a build. */
export async function register(): Promise<void> {
  // In a branch of its own, so that no bundle for another runtime looks inside.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { becomeServerOrEnd } = await import('#lib/operations/serve.ts');
    await becomeServerOrEnd();
  }
}
