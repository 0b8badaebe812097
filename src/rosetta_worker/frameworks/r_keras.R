# Keras 2 from R: a worker in R, which speaks docs/reference/protocol.md by itself.
#
#     Rscript r_keras.R REQUESTS REPLIES PARENT SERVICE
#
# R drives Keras through reticulate, in the Python that RETICULATE_PYTHON names, as CRAN's package keras does. Arrays
# stay Python's: R would store them in another order. Python is also asked for what R has no word for: .npy files, the
# ties of tensors, and what the system says of this process.

Sys.setenv(KERAS_BACKEND = "tensorflow", KERAS_HOME = getwd()) # the user's keras.json may change the precision
suppressPackageStartupMessages(library(reticulate))
library(jsonlite)

PROTOCOL <- 1L
UNSUPPORTED <- c("forecast", "feed", "reuse", "backpropagate", "update", "profile", "product", "copy", "repeat")

words <- commandArgs(trailingOnly = TRUE)
here <- normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
at <- new.env() # what this worker holds: setting, implementation, model, data, batches

# -- Python ---------------------------------------------------------------------------------------------------------

#' Make rosetta_worker importable by its place alone, as its own __main__.py does.
load_package <- function(folder) {
  util <- import("importlib.util", convert = FALSE)
  start <- file.path(folder, "__init__.py")
  spec <- util$spec_from_file_location("rosetta_worker", start, submodule_search_locations = list(folder))
  package <- util$module_from_spec(spec)
  py_set_item(import("sys", convert = FALSE)$modules, "rosetta_worker", package)
  spec$loader$exec_module(package)
}

load_package(dirname(dirname(here)))
python <- import_builtins(convert = FALSE)
np <- import("numpy", convert = FALSE)
clock <- import("time")
ties <- import("rosetta_worker.tensors", convert = FALSE)
schedule <- import("rosetta_worker.schedule")
surroundings <- import("rosetta_worker.surroundings")
import("rosetta_worker.children")$die_with_parent(as.integer(words[3]))

Tie <- ties$Tie
gates <- ties$gates
stack <- ties$stack
flatten_last <- ties$flatten_last
TRANSPOSE <- ties$TRANSPOSE
CHANNELS_LAST <- ties$CHANNELS_LAST

#' A Python list as a list of R, its members still Python's.
members <- function(sequence) iterate(sequence, simplify = FALSE)

#' What a layer of Keras makes of `x`.
on <- function(x, layer) layer$`__call__`(x)

#' {name: array} as a dict of Python.
as_dict <- function(arrays) py_dict(names(arrays), unname(arrays))

#' Rows of an array, from the one counted from 0 to the one before the last.
rows <- function(array, from, to) py_get_item(array, python$slice(as.integer(from), as.integer(to)))

# -- the requests ---------------------------------------------------------------------------------------------------

answers <- list()

answers$hello <- function(protocol) {
  if (protocol != PROTOCOL) stop("the controller speaks protocol ", protocol, ", this worker ", PROTOCOL)
  list(protocol = PROTOCOL, pid = Sys.getpid(), language = "R", interpreter = as.character(getRversion()))
}

answers$open <- function(framework, implementation, setting) {
  start <- clock$perf_counter()
  refuse(setting)
  at$setting <- setting
  tf <<- import("tensorflow", convert = FALSE)
  keras <<- import("keras", convert = FALSE)
  layers <<- keras$layers
  K <<- keras$backend
  optimizers <<- import("rosetta_worker.optimizers.keras2", convert = FALSE) # Keras' own, put right
  at$file <- new.env()
  if (!is.null(implementation)) sys.source(implementation, at$file)
  own <- list("r-base" = as.character(getRversion()), "r-reticulate" = as.character(packageVersion("reticulate")))
  packages <- import("rosetta_worker.service")$packages()
  list(import_s = clock$perf_counter() - start, packages = c(packages, own))
}

answers$build <- function(weights, dropout = TRUE, steps_per_epoch = NULL, epochs_apart = 1) {
  arrays <- lapply(weights, np$load)
  at$calendar <- schedule$Calendar(steps_per_epoch, epochs_apart)
  spent <- timed(function() {
    if (is.null(at$model) || at$dropout != dropout) draw(dropout)
    place(arrays)
    if (trains()) forget()
  })
  list(build_s = spent$elapsed_s, parameters = sum(sapply(arrays, function(array) py_to_r(array$size))))
}

answers$place <- function(weights) {
  place(lapply(weights, np$load))
  list()
}

answers$data <- function(part, labels, inputs = NULL, pictures = NULL) {
  if (!is.null(pictures)) unsupported("this worker reads no picture files")
  spent <- timed(function() {
    at[[part]] <- list(inputs = arranged(np$load(inputs)), labels = np$load(labels)$astype("int32"))
  })
  list(load_s = spent$elapsed_s, samples = py_len(at[[part]]$labels))
}

answers$batches <- function(path) {
  at$batches <- np$load(path)
  list(steps = py_len(at$batches))
}

answers$train <- function(first, steps) {
  ids <- steps_from(first, steps)
  begin(first)
  rate <- learning_rate()
  before <- updates()
  spent <- timed(function() {
    losses <- mapply(function(number, one) {
      begin(number)
      step(fetch(one))
    }, first + seq_along(ids) - 1, ids)
    mean(losses)
  })
  names(spent)[1] <- "loss"
  counted <- updates() - before
  told <- list(learning_rate = rate, updates = counted, samples = steps * py_len(ids[[1]]))
  c(spent[c("elapsed_s", "cpu_s", "loss")], told)
}

answers$batch <- function(step, folder, steps = 1) {
  fed <- lapply(steps_from(step, steps), fetch)
  joined <- function(part) np$concatenate(lapply(fed, `[[`, part))
  list(files = save(folder, list(inputs = joined("inputs"), labels = joined("labels"))))
}

answers$gradients <- function(step, folder) {
  found <- differentiate(fetch(steps_from(step, 1)[[1]]))
  slopes <- canonical(at$file$TENSORS, found$slopes)
  list(loss = found$loss, files = save(folder, c(slopes, list(logits = found$logits))))
}

answers$parameters <- function(folder) {
  list(files = save(folder, held()))
}

answers$evaluate <- function(part, samples, batch_size, folder = NULL) {
  inputs <- rows(at[[part]]$inputs, 0, samples)
  spent <- timed(function() predicted(inputs, batch_size))
  right <- np$equal(spent$value$argmax(1L), rows(at[[part]]$labels, 0, samples))
  reply <- c(spent[c("elapsed_s", "cpu_s")], list(samples = samples, correct = py_to_r(np$sum(right))))
  if (!is.null(folder)) reply$files <- save(folder, list(logits = spent$value))
  reply
}

answers$infer <- function(first, samples, batch_size, folder = NULL) {
  whole <- py_len(at$train$inputs) %/% batch_size
  from <- (first + seq_len(ceiling(samples / batch_size)) - 1) %% whole * batch_size
  sizes <- pmin(batch_size, samples - (seq_along(from) - 1) * batch_size)
  batches <- Map(function(from, size) rows(at$train$inputs, from, from + size), from, sizes)
  spent <- timed(function() np$concatenate(lapply(batches, at$model$predict_on_batch)))
  reply <- c(spent[c("elapsed_s", "cpu_s")], list(samples = py_len(spent$value)))
  if (!is.null(folder)) reply$files <- save(folder, list(outputs = spent$value))
  reply
}

answers$settings <- function() {
  found <- c(surroundings$surroundings(), import("rosetta_worker.runtimes.tensorflow1")$settings(K$get_session()))
  found[c("processors", "libraries")] <- lapply(found[c("processors", "libraries")], as.list) # of one, too
  own <- list(backend = py_to_r(K$backend()), precision = py_to_r(K$floatx()), loader_workers = 0L)
  if (convolves()) own$layout <- py_to_r(K$image_data_format())
  list(settings = c(found, own, list(mode = "compiled", compiler = "Session")))
}

answers$tick <- function(repeats) {
  list(elapsed_s = median(replicate(repeats, timed(function() NULL)$elapsed_s)))
}

answers$linger <- function(size, repeats) {
  matrix <- np$full(c(as.integer(size), as.integer(size)), 1 / size, "float32")
  left <- K$placeholder(matrix$shape)
  multiply <- K$`function`(list(left), list(K$dot(left, K$constant(matrix))))$`__call__`
  once <- function(last, number) py_get_item(multiply(list(last)), 0L)
  once(matrix, 0) # whatever starts with the first
  spent <- timed(function() Reduce(once, seq_len(repeats), matrix))
  read <- timed(function() py_to_r(np$isfinite(spent$value)$all()))
  list(asked_s = spent$elapsed_s, done_s = spent$elapsed_s, read_s = read$elapsed_s, finite = read$value)
}

answers$close <- function() list()

# -- the model ------------------------------------------------------------------------------------------------------

#' Raise the error that says of a setting that it cannot be had.
refuse <- function(setting) {
  if (setting$precision != "float32") unsupported("TensorFlow 1 has no kernels for bfloat16, and no switch for TF32")
  if (setting$embedding_gradient != "dense") unsupported("the Adam of Keras 2 is not lazy")
  if (setting$input != "memory") unsupported("this worker trains from memory only (--set input=memory)")
  if (!is.null(setting$schedule) && !is.null(setting$optimizer$momentum)) {
    unsupported("its momentum sums up rate times gradient, which is another optimiser as soon as the rate changes")
  }
}

trains <- function() !is.null(at$setting$optimizer)

#' Draw the model in a graph and a session of its own and, where it trains, compile it.
draw <- function(dropout) {
  setting <- import("rosetta_worker.framework", convert = FALSE)$Setting
  given <- setting(threads = as.integer(at$setting$threads), device = at$setting$device)
  runtime <- import("rosetta_worker.runtimes.tensorflow1", convert = FALSE)
  K$clear_session()
  K$set_session(tf$Session(config = runtime$configuration(given)))
  at$model <- at$file$Model()
  if (!dropout) {
    for (layer in members(at$model$layers)) if (py_has_attr(layer, "rate")) layer$rate <- 0
    at$model <- keras$models$clone_model(at$model) # the graph of the first is drawn already
  }
  at$dropout <- dropout
  at$slopes <- NULL
  if (trains()) {
    # Keras names the labels first; the target's shape is not asked of a loss that it does not know
    at$model$compile(
      at$file$optimizer(at$model, at$setting$optimizer),
      loss = function(labels, logits) at$file$loss(logits, labels)
    )
    at$model$`_make_train_function`()
  }
}

#' Whether the model has a convolution.
convolves <- function() any(sapply(members(at$model$layers), py_has_attr, "kernel_size"))

#' Keras' variable under ``layer.path``.
variable <- function(own) {
  parts <- regmatches(own, regexpr(".", own, fixed = TRUE), invert = TRUE)[[1]]
  import("rosetta_worker.framework", convert = FALSE)$resolve(at$model$get_layer(parts[1]), parts[2])
}

#' Write canonical arrays into the model, in one run of the session: each other set is planned anew.
place <- function(arrays) {
  tensors <- as_dict(arrays)
  pairs <- lapply(tables(), function(tie) {
    own <- tie$to_own(tensors)
    lapply(own_names(tie), function(name) tuple(variable(name), py_get_item(own, name)))
  })
  K$batch_set_value(unlist(pairs, recursive = FALSE))
}

#' What the model holds, {canonical name: array}, read in one run, too.
held <- function() {
  names <- unlist(lapply(tables(), own_names))
  arrays <- setNames(members(K$batch_get_value(lapply(names, variable))), names)
  canonical(tables(), function(own) arrays[[own]])
}

tables <- function() c(at$file$TENSORS, at$file$STATE)

own_names <- function(tie) py_to_r(tie$own)

#' Let the optimiser begin anew.
forget <- function() {
  weights <- members(at$model$optimizer$weights)
  K$batch_set_value(lapply(weights, function(weight) tuple(weight, np$zeros(K$int_shape(weight)))))
}

#' {canonical name: array} of what `read` returns for the model's own names, of those in a table.
canonical <- function(table, read) {
  found <- list()
  for (tie in table) {
    tensors <- tie$to_canonical(as_dict(sapply(own_names(tie), read, simplify = FALSE)))
    for (name in py_to_r(tie$canonical)) found[[name]] <- py_get_item(tensors, name)
  }
  found
}

#' Let a step have the learning rate of its epoch.
begin <- function(number) {
  if (is.null(at$setting$schedule)) {
    return()
  }
  stated <- do.call(import("rosetta_worker.framework")$Setting, at$setting$schedule)
  factor <- schedule$factor(stated, at$calendar$epoch(as.integer(number)))
  K$set_value(at$model$optimizer$lr, at$setting$optimizer$learning_rate * factor)
}

learning_rate <- function() py_to_r(python$float(K$get_value(at$model$optimizer$lr)))

#' How many updates the optimiser has counted.
updates <- function() py_to_r(python$int(K$get_value(at$model$optimizer$iterations)))

#' Take one step; the loss as a number.
step <- function(fed) py_to_r(python$float(at$model$train_on_batch(fed$inputs, fed$labels)))

#' Loss, logits and gradients of one batch, by the graph of the training step; nothing is updated.
differentiate <- function(fed) {
  model <- at$model
  if (is.null(at$slopes)) {
    slopes <- K$gradients(model$total_loss, model$trainable_weights)
    wanted <- c(list(model$total_loss, model$output), lapply(members(slopes), tf$convert_to_tensor))
    placeholders <- lapply(list(model$`_feed_inputs`, model$`_feed_targets`, model$`_feed_sample_weights`), members)
    at$slopes <- K$`function`(c(unlist(placeholders, recursive = FALSE), list(K$learning_phase())), wanted)
  }
  standard <- model$`_standardize_user_data`(fed$inputs, fed$labels)
  found <- members(at$slopes$`__call__`(c(unlist(lapply(members(standard), members), recursive = FALSE), list(1L))))
  names(found) <- c("loss", "logits", sapply(members(model$trainable_weights), function(one) py_to_r(one$name)))
  list(
    loss = py_to_r(python$float(found$loss)),
    logits = found$logits,
    slopes = function(own) found[[py_to_r(variable(own)$name)]]
  )
}

#' What comes out for all inputs, the last batch perhaps short.
predicted <- function(inputs, batch_size) {
  starts <- seq(0, py_len(inputs) - 1, by = batch_size)
  np$concatenate(lapply(starts, function(start) at$model$predict_on_batch(rows(inputs, start, start + batch_size))))
}

# -- the data -------------------------------------------------------------------------------------------------------

#' Inputs in the layout that the implementation asks for; bytes become float32 from 0 to 1.
arranged <- function(inputs) {
  if (!is.null(at$file$arrange)) inputs <- np$ascontiguousarray(at$file$arrange(inputs))
  if (py_to_r(inputs$dtype$name) == "uint8") np$divide(inputs, np$float32(255), dtype = "float32") else inputs
}

#' Ids of the samples of some steps, one array for each.
steps_from <- function(first, steps) {
  left <- py_len(at$batches) - first
  if (left < steps) stop("only ", left, " batches are left from step ", first, " on, not ", steps)
  members(rows(at$batches, first, first + steps))
}

#' The batch of some samples.
fetch <- function(ids) {
  list(inputs = np$take(at$train$inputs, ids, 0L), labels = np$take(at$train$labels, ids, 0L))
}

#' Write arrays as .npy files; {name: path}.
save <- function(folder, arrays) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  paths <- setNames(as.list(file.path(folder, paste0(names(arrays), ".npy"))), names(arrays))
  for (name in names(arrays)) np$save(paths[[name]], arrays[[name]])
  paths
}

# -- the protocol ---------------------------------------------------------------------------------------------------

#' What ``work()`` returns, the seconds that it took and the processor time, of all threads.
timed <- function(work) {
  cpu <- clock$process_time()
  start <- clock$perf_counter()
  value <- work()
  list(value = value, elapsed_s = clock$perf_counter() - start, cpu_s = clock$process_time() - cpu)
}

unsupported <- function(why) {
  stop(structure(list(message = why, call = NULL), class = c("unsupported", "error", "condition")))
}

#' The reply to a request; whatever goes wrong is a reply, and the worker goes on.
answer <- function(request) {
  asked <- request$do
  tryCatch(
    {
      if (asked %in% UNSUPPORTED) unsupported(paste0("this worker, written in R, knows no request '", asked, "'"))
      if (is.null(answers[[asked]])) stop("this worker knows no request '", asked, "'")
      fields <- request[setdiff(names(request), c("id", "do"))]
      c(list(id = request$id, ok = TRUE), do.call(answers[[asked]], fields))
    },
    error = function(condition) list(id = request$id, ok = FALSE, error = described(condition))
  )
}

described <- function(condition) {
  message <- conditionMessage(condition)
  kind <- "error"
  if (inherits(condition, "unsupported")) kind <- "unsupported"
  if (grepl("ModuleNotFoundError|ImportError", message)) kind <- "missing_package"
  if (grepl("out of memory|cannot allocate|MemoryError", message, ignore.case = TRUE)) kind <- "out_of_memory"
  trace <- paste(format(conditionCall(condition)), collapse = "\n")
  list(kind = kind, type = class(condition)[1], message = message, traceback = trace)
}

serve <- function(requests, replies) {
  while (length(line <- readLines(requests, 1)) > 0) {
    request <- fromJSON(line, simplifyVector = FALSE)
    writeLines(toJSON(answer(request), auto_unbox = TRUE, digits = NA, null = "null", na = "null"), replies)
    flush(replies)
    if (request$do == "close") break
  }
}

serve(file(file.path("/dev/fd", words[1]), "r", raw = TRUE), file(file.path("/dev/fd", words[2]), "w", raw = TRUE))
