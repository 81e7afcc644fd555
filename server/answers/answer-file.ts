import type { ExportedFile } from './files/exports-api';

/** The file is written while it is sent: cancelling the body ends that. */
export function answerFile({ fileName, content }: ExportedFile): Response {
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
      // The file format compresses its content.
      'cache-control': 'no-store, no-transform',
    },
  });
}
