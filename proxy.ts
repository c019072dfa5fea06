import { type NextRequest, NextResponse } from 'next/server';
import { contentSecurityPolicy, guardSettings, refusal } from '#lib/operations/guard.ts';

/** Before every page and action: whose request it is, and what its page may load. */
export function proxy(request: NextRequest): NextResponse {
  const { headers, method } = request;
  const why = refusal(
    {
      method,
      host: headers.get('host'),
      origin: headers.get('origin'),
      site: headers.get('sec-fetch-site'),
    },
    guardSettings(process.env),
  );
  if (why) return new NextResponse(`${why}\n`, { status: 403, headers: { 'content-type': 'text/plain' } });
  const nonce = Buffer.from(crypto.randomUUID()).toString('base64');
  const policy = contentSecurityPolicy(nonce, process.env.NODE_ENV === 'development');
  const forwarded = new Headers(headers);
  forwarded.set('x-nonce', nonce);
  // Next reads the nonce for its own scripts from the policy of the request.
  forwarded.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers: forwarded } });
  response.headers.set('content-security-policy', policy);
  response.headers.set('x-content-type-options', 'nosniff');
  response.headers.set('referrer-policy', 'same-origin');
  return response;
}

export const config = {
  // Built assets are the same for everyone and carry no policy.
  matcher: ['/((?!_next/static/).*)'],
};
