import { importBundle } from '#lib/operations/import-bundle.ts';
import type { ActionResult } from '#lib/operations/model.ts';
import { toResult } from '#lib/operations/result.ts';

// The server hands no more than this of a body on; what is cut off there would look like half a file.
const MAX_BYTES = 10 * 1024 * 1024 - 1024;

const TOO_LARGE: ActionResult = {
  ok: false,
  error:
    'This file is larger than 10 MB, more than a browser may hand over here. Replay it on the command line. Nothing was kept of it.',
  code: 'malformed',
  definite: true,
};

/** The body as far as it may go; null where there is more of it. */
async function bodyOf(request: Request): Promise<Buffer | null> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BYTES) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) return null;
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

/** Takes a bundle in. The proxy in front has looked at where the request comes from. */
export async function POST(request: Request): Promise<Response> {
  const bytes = await bodyOf(request);
  if (bytes === null) return Response.json(TOO_LARGE, { status: 413 });
  const result = await toResult(() => importBundle(bytes));
  return Response.json(result, { status: result.ok ? 200 : 422 });
}
