/** Kubernetes quantities: exact arithmetic and canonical texts. */
export {
  canonicalQuantity,
  formatQuantity,
  fractionOf,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityOf,
  wholeUnits,
} from './quantity.ts';
