import { DrillError } from '#lib/core/errors.ts';
import { ownScenarioSource } from '#lib/operations/own-scenarios.ts';

/** A scenario of one's own, as the file that it is kept in. */
export async function GET(
  _request: Request,
  context: { params: Promise<{ lab: string; scenario: string }> },
): Promise<Response> {
  const { lab, scenario } = await context.params;
  try {
    return new Response(ownScenarioSource(`${lab}/${scenario}`), {
      headers: {
        'content-type': 'application/yaml; charset=utf-8',
        'content-disposition': `attachment; filename="${scenario}.yaml"`,
        'cache-control': 'no-store',
      },
    });
  } catch (error) {
    if (!(error instanceof DrillError)) throw error;
    return new Response(`${error.message}\n`, {
      status: error.code === 'not-found' ? 404 : 500,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  }
}
