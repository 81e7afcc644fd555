import { Skeleton } from '../skeleton';
import { PageBody } from './page-body';

/** Shown at once on navigation, until the server has rendered the page. */
export function LoadingPage() {
  return (
    <PageBody>
      <Skeleton waitsFor="the page" rows={12} />
    </PageBody>
  );
}
