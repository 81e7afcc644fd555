import { getRuntime } from '@/server/index';
import { handle } from '../_handle';
import { readQuery } from '../_query';

export const dynamic = 'force-dynamic';

/** Made while it is sent: a browser that goes away ends it. */
export const GET = handle(async (request) => {
  const { fileName, content } = await getRuntime().api.exportRecording(readQuery(request), request.signal);
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
      // Compressed by its own format.
      'cache-control': 'no-store, no-transform',
    },
  });
});
