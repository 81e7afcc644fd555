import type { LoadAnswered } from '@/lib/api/load';

/** As JSON, or as a file of comma-separated values. */
export function answerLoad<T>(answered: LoadAnswered<T>, fileName: string): T | Response {
  if ('json' in answered) return answered.json;
  return new Response(answered.csv, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
    },
  });
}
