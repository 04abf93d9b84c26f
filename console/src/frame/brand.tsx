import classes from "./frame.module.css";

export function Brand() {
  return (
    <span className={classes.brand}>
      <svg viewBox="0 0 28 28" aria-hidden="true">
        <rect className={classes.brandBack} x="6" y="3" width="18" height="12" rx="3" />
        <rect className={classes.brandFront} x="2" y="8" width="24" height="17" rx="4" />
        <rect className={classes.brandSlot} x="17" y="14.5" width="9" height="4" rx="2" />
      </svg>
      Billfold
    </span>
  );
}
