/** Next calls this once when a server starts, whichever way it was started; never during a build. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { becomeServer } = await import('#lib/operations/serve.ts');
  try {
    await becomeServer();
  } catch (error) {
    const { message, exit } = error as { message: string; exit?: number };
    process.stderr.write(`${message}\n`);
    process.exit(exit ?? 70);
  }
}
