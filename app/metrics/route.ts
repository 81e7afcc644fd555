import { getRuntime } from '@/server/index';

export const dynamic = 'force-dynamic';

/** Returns the metrics in the text exposition format of Prometheus. */
export async function GET(): Promise<Response> {
  const text = await getRuntime().api.getMetrics();
  return new Response(text, {
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
  });
}
