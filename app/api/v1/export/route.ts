import { getRuntime } from '@/server/index';
import { handle } from '../_handle';

export const dynamic = 'force-dynamic';

/** Made while it is sent: a browser that goes away ends it. */
export const GET = handle(async (request) => {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const { fileName, content } = await getRuntime().api.exportRecording(query);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await content.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await content.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
    },
  });
});
