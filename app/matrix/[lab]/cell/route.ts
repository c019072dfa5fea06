import { stringify } from 'yaml';
import { scenarioOfCell } from '#lib/operations/open-cell.ts';
import { toResult } from '#lib/operations/result.ts';

export const dynamic = 'force-dynamic';

/** A cell as a scenario file: `drill run` replays it. */
export async function GET(request: Request): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const [sweep, cell] = [query.get('sweep') ?? '', query.get('cell') ?? ''];
  const found = await toResult(async () => ({ scenario: await scenarioOfCell(sweep, cell) }));
  if (!found.ok) return new Response(`${found.error}\n`, { status: found.code === 'usage' ? 400 : 404 });
  const name = found.scenario.id.split('/')[1];
  return new Response(stringify(found.scenario), {
    headers: {
      'content-type': 'application/yaml; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.yaml"`,
    },
  });
}
