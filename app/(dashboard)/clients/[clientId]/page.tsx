/** A client's address without a tab shows the graph. */
export { default } from './graph/page';
