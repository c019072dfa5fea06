import { DrillError } from '#lib/core/errors.ts';
import { exportRun } from '#lib/operations/export-run.ts';

const STATUS: Record<string, number> = { 'not-found': 404, usage: 404, busy: 409, refused: 409 };

/** The bundle of a run, as a file to keep. */
export async function GET(
  _request: Request,
  context: { params: Promise<{ runId: string }> },
): Promise<Response> {
  try {
    const { name, bytes } = await exportRun((await context.params).runId);
    return new Response(new Uint8Array(bytes), {
      headers: {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
      },
    });
  } catch (error) {
    if (!(error instanceof DrillError)) throw error;
    return new Response(`${error.message}\n`, {
      status: STATUS[error.code] ?? 500,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  }
}
